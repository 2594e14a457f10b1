/**
 * A script before those of the page: seeds that the page draws are 2, 3 and so on in each test, also after a reload, so that verdicts do not depend on
 * chance.
 */
export const SAME_SEEDS = `{
  const draw = crypto.getRandomValues.bind(crypto);
  let drawn = 0;
  crypto.getRandomValues = (array) => {
    if (!(array instanceof Uint32Array) || array.length !== 1) return draw(array);
    try {
      drawn = Number(sessionStorage.getItem('drawn seeds'));
      sessionStorage.setItem('drawn seeds', drawn + 1);
    } catch {}
    drawn++;
    return array.fill(drawn);
  };
}`;
