import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('one', () => {});
test('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
test('never runs', () => {});
