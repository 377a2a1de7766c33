const assert = require('node:assert');
it('forgets to wait', () => { new Promise((_, no) => setTimeout(() => no(new Error('forgotten')), 20)); });
it('waits', () => new Promise((done) => { setTimeout(done, 200); }));
