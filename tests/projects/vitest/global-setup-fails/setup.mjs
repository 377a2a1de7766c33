export default () => { throw new Error('no database'); };
