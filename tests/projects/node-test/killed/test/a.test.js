const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('one', () => {});
test('is killed', async () => { await new Promise((go) => setTimeout(go, 100)); process.kill(process.pid, 'SIGKILL'); await new Promise((go) => setTimeout(go, 5000)); });
