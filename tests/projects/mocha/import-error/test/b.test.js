const assert = require('node:assert');
const { x } = require('./missing.js');
it('three', () => { x(); });
