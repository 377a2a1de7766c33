const assert = require('node:assert');
it('passes first', (done) => { done(); setTimeout(() => done(new Error('second thought')), 50); });
it('waits', (done) => { setTimeout(done, 200); });
