import { z } from 'zod';

// Before any schema is made: zod would otherwise try out `new Function`, which Trusted Types refuses and Chromium logs.
z.config({ jitless: true });
