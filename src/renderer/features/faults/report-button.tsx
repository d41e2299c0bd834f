import { Button } from '../../ui';
import { describeFault } from '../../state/failures';
import { useApp } from '../../state/hooks';

/** Puts a description of the failure on the clipboard; the log of the app has it already. */
export function ReportButton({ where, error }: { where: string; error: unknown }) {
  const app = useApp();
  const report = async (): Promise<void> => {
    const text = describeFault(where, error, app.settings.getState().version);
    try {
      await navigator.clipboard.writeText(text);
      app.toast({
        level: 'success',
        text: 'A bug report was copied to the clipboard. Read it before you send it: it can quote your session.',
      });
    } catch {
      app.toast({
        level: 'error',
        text: 'The bug report couldn’t be copied. You can find it in the log (Settings, Data).',
      });
    }
  };
  return (
    <Button size="small" onClick={() => void report()}>
      Report
    </Button>
  );
}
