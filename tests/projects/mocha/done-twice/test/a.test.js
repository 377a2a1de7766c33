const assert = require('node:assert');
it('calls twice', (done) => { done(); done(); });
it('next', () => {});
