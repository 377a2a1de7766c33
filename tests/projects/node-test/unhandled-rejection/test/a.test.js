const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('forgets to wait', () => { new Promise((_, no) => setTimeout(() => no(new Error('forgotten')), 20)); });
test('waits', () => new Promise((done) => { setTimeout(done, 200); }));
