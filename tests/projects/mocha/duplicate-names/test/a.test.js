const assert = require('node:assert');
it('same', () => {});
it('same', () => {});
