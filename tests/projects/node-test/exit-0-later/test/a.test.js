const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('one', () => {});
test('quits', async () => { await new Promise((go) => setTimeout(go, 100)); process.exit(0); });
test('never runs', () => {});
