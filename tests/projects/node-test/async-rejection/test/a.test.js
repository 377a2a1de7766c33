const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('rejects', async () => { await Promise.reject(new Error('refused')); });
