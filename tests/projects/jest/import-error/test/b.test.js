const { x } = require('./missing.js');
test('three', () => { x(); });
