const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('one', () => {});
test('hangs', () => { setInterval(() => {}, 1000); return new Promise(() => {}); });
