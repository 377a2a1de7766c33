throw new Error('no such setting');
