const assert = require('node:assert');
it('one', () => {});
it('crashes', async () => { await new Promise((go) => setTimeout(go, 100)); process.kill(process.pid, 'SIGSEGV'); await new Promise((go) => setTimeout(go, 5000)); });
