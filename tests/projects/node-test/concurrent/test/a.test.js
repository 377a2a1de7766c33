const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
describe('suite', { concurrency: true }, () => {
  it('slow', async () => { await new Promise((go) => setTimeout(go, 100)); });
  it('quick', async () => {});
  it('bad', async () => { throw new Error('boom'); });
});
