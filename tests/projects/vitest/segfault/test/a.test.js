import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('one', () => {});
test('crashes', async () => { await new Promise((go) => setTimeout(go, 100)); process.kill(process.pid, 'SIGSEGV'); await new Promise((go) => setTimeout(go, 5000)); }, 9000);
