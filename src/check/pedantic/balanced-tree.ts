/**
 * Search trees balanced by height: no two siblings differ by more than 2. Union splits one tree at the root of the other;
 * halves of any height are joined along the edge of the higher one.
 * Source: Adelson-Velsky and Landis, 1962; Adams, "Efficient sets: a balancing act", J. Functional Programming 3, 1993;
 * Blelloch, Ferizovic and Sun, "Just join for parallel ordered sets", SPAA 2016.
 */
export interface Branch<T> {
  readonly left: Tree<T>;
  readonly value: T;
  readonly right: Tree<T>;
  readonly height: number;
  /** Whether it is joined as a single value; one that was opened for a union is joined as a tree. */
  readonly isLeaf: boolean;
}

export type Tree<T> = Branch<T> | undefined;

export type Order<T> = (a: T, b: T) => number;

const heightOf = <T>(tree: Tree<T>) => tree?.height ?? 0;

function branch<T>(left: Tree<T>, value: T, right: Tree<T>): Branch<T> {
  const height = 1 + Math.max(heightOf(left), heightOf(right));
  return { left, value, right, height, isLeaf: height === 1 };
}

/** A branch of trees that differ by at most 3 in height, rotated where they differ by 3. */
function balanced<T>(left: Tree<T>, value: T, right: Tree<T>): Branch<T> {
  if (left !== undefined && left.height > heightOf(right) + 2) {
    const inner = left.right;
    return inner === undefined || heightOf(left.left) >= inner.height
      ? branch(left.left, left.value, branch(inner, value, right))
      : branch(branch(left.left, left.value, inner.left), inner.value, branch(inner.right, value, right));
  }
  if (right !== undefined && right.height > heightOf(left) + 2) {
    const inner = right.left;
    return inner === undefined || heightOf(right.right) >= inner.height
      ? branch(branch(left, value, inner), right.value, right.right)
      : branch(branch(left, value, inner.left), inner.value, branch(inner.right, right.value, right.right));
  }
  return branch(left, value, right);
}

export function add<T>(tree: Tree<T>, value: T, order: Order<T>): Branch<T> {
  if (tree === undefined) return branch(undefined, value, undefined);
  const side = order(value, tree.value);
  if (side === 0) return tree;
  if (side < 0) {
    const left = add(tree.left, value, order);
    return left === tree.left ? tree : balanced(left, tree.value, tree.right);
  }
  const right = add(tree.right, value, order);
  return right === tree.right ? tree : balanced(tree.left, tree.value, right);
}

function addFirst<T>(value: T, tree: Tree<T>): Branch<T> {
  if (tree === undefined || tree.isLeaf) return branch(undefined, value, tree);
  return balanced(addFirst(value, tree.left), tree.value, tree.right);
}

function addLast<T>(tree: Tree<T>, value: T): Branch<T> {
  if (tree === undefined || tree.isLeaf) return branch(tree, value, undefined);
  return balanced(tree.left, tree.value, addLast(tree.right, value));
}

/** All of one tree, a value, and all of another tree, in this order. */
function join<T>(left: Tree<T>, value: T, right: Tree<T>): Branch<T> {
  if (left === undefined) return addFirst(value, right);
  if (right === undefined) return addLast(left, value);
  if (left.isLeaf) return addFirst(left.value, addFirst(value, right));
  if (right.isLeaf) return addLast(addLast(left, value), right.value);
  if (left.height > right.height + 2) return balanced(left.left, left.value, join(left.right, value, right));
  if (right.height > left.height + 2) return balanced(join(left, value, right.left), right.value, right.right);
  return branch(left, value, right);
}

function split<T>(tree: Tree<T>, at: T, order: Order<T>): { readonly before: Tree<T>; readonly after: Tree<T> } {
  if (tree === undefined) return { before: undefined, after: undefined };
  const side = order(at, tree.value);
  if (side === 0) return { before: tree.left, after: tree.right };
  if (side < 0) {
    const { before, after } = split(tree.left, at, order);
    return { before, after: join(after, tree.value, tree.right) };
  }
  const { before, after } = split(tree.right, at, order);
  return { before: join(tree.left, tree.value, before), after };
}

export function union<T>(one: Tree<T>, other: Tree<T>, order: Order<T>): Tree<T> {
  if (one === other || other === undefined) return one;
  if (one === undefined) return other;
  const [a, b] = [one, other].map((tree) => (tree.isLeaf ? { ...tree, isLeaf: false } : tree));
  if (a.height >= b.height) {
    if (b.height === 1) return add(a, b.value, order);
    const { before, after } = split(b, a.value, order);
    return join(union(a.left, before, order), a.value, union(a.right, after, order));
  }
  if (a.height === 1) return add(b, a.value, order);
  const { before, after } = split(a, b.value, order);
  return join(union(before, b.left, order), b.value, union(after, b.right, order));
}

export function filter<T>(tree: Tree<T>, keeps: (value: T) => boolean): Tree<T> {
  if (tree === undefined) return undefined;
  const left = filter(tree.left, keeps);
  const keepsValue = keeps(tree.value);
  const right = filter(tree.right, keeps);
  if (!keepsValue) return concatenated(left, right);
  return left === tree.left && right === tree.right ? tree : join(left, tree.value, right);
}

function concatenated<T>(left: Tree<T>, right: Tree<T>): Tree<T> {
  if (left === undefined || right === undefined) return left ?? right;
  return join(left, firstOf(right), withoutFirst(right));
}

function firstOf<T>(tree: Branch<T>): T {
  return tree.left === undefined ? tree.value : firstOf(tree.left);
}

function withoutFirst<T>(tree: Branch<T>): Tree<T> {
  return tree.left === undefined ? tree.right : balanced(withoutFirst(tree.left), tree.value, tree.right);
}

/** The values from the root down, left before right. */
export function fromRoot<T>(tree: Tree<T>): readonly T[] {
  return tree === undefined ? [] : [tree.value, ...fromRoot(tree.left), ...fromRoot(tree.right)];
}
