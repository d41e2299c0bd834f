import { startPageServer } from '/work/main/test/support/page-server';
import { launchChromium } from '/work/main/test/support/chromium';
const t=Date.now();
const server = await startPageServer(); console.log('built', Date.now()-t);
const browser = await launchChromium();
const shots = process.argv.slice(2);
for (const shot of shots) {
  const [name, query, size='1280x800', wait='1500'] = shot.split('|');
  const [width,height]=size.split('x').map(Number);
  const page = await browser.newPage({ viewport: { width: width!, height: height! } });
  page.on('console', m => { if (m.type()==='error'||m.type()==='warning') console.log(name, m.type(), m.text().slice(0,400)); });
  page.on('pageerror', e => console.log(name,'pageerror', e.message, e.stack?.slice(0,500)));
  page.on('requestfailed', r => console.log(name,'failed', r.url(), r.failure()?.errorText));
  await page.goto(server.url + '?' + query);
  await page.waitForTimeout(Number(wait));
  console.log(name, JSON.stringify(await page.evaluate(() => ({v:(window as any).gallery?.violations, e:(window as any).gallery?.errors}))));
  await page.screenshot({ path: `/tmp/shots/${name}.png` });
  await page.close();
}
await browser.close(); await server.close();
process.exit(0);
