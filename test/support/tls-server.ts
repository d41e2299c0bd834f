import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** For tests alone, and trusted by nobody: a certificate of models.test that it gave itself, and its key. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUfAbFWZ3vm7QMO9/eHAyRhuzYKykwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLbW9kZWxzLnRlc3QwIBcNMjYxMTI3MTM0ODU0WhgPMjEyNjEx
MDMxMzQ4NTRaMBYxFDASBgNVBAMMC21vZGVscy50ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEen3qz01p9VewI8iu70GzeSOew3/wI8yeRKhhAx7DuUsA8bHe
vSVoYwCty+ub7wlYxEBIRJZ3Jq6Du1JcCocdAqNrMGkwHQYDVR0OBBYEFGT//3so
+qPaPheMaWPJzsww8+fAMB8GA1UdIwQYMBaAFGT//3so+qPaPheMaWPJzsww8+fA
MA8GA1UdEwEB/wQFMAMBAf8wFgYDVR0RBA8wDYILbW9kZWxzLnRlc3QwCgYIKoZI
zj0EAwIDRwAwRAIgK3CahGyU9UVjUcM1Bl3tieGkoa+2K0pF0r7SvJdCrvcCIFjR
SSU7v8/HENCQBcA4SG15ZjEBX+ThbE9NINfi4lLB
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgU3MT8T70v5PJXewd
W9TzrLkWRlpx4sG+XrlB2FC4GkehRANCAAR6ferPTWn1V7AjyK7vQbN5I57Df/Aj
zJ5EqGEDHsO5SwDxsd69JWhjAK3L65vvCVjEQEhElncmroO7UlwKhx0C
-----END PRIVATE KEY-----`;

/** A real server with TLS on the loopback interface. Who asks it has to do without a check of its certificate. */
export async function startTlsServer(listener: RequestListener): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer({ cert: CERTIFICATE, key: KEY }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
