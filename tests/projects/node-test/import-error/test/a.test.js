const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('one', () => {});
test('two', () => {});
