const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('is set up', () => { assert.ok(globalThis.ready); });
