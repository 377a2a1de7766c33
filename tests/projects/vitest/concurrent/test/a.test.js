import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
describe('suite', () => {
  test.concurrent('slow', async () => { await new Promise((go) => setTimeout(go, 100)); });
  test.concurrent('quick', async () => {});
  test.concurrent('bad', async () => { throw new Error('boom'); });
});
