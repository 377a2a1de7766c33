const assert = require('node:assert');
it.only('one', () => {});
it('two', () => { throw new Error('not run'); });
