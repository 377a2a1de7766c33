const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('starts a timer', () => { setTimeout(() => { throw new Error('too late'); }, 50); });
