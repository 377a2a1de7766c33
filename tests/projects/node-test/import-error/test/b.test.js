const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
const { x } = require('./missing.js');
test('three', () => { x(); });
