const assert = require('node:assert');
it('same', () => { throw new Error('first'); });
it('same', () => {});
