/** Whether the page is part of another one, by `?embed`: one half at a time, without menus, and nothing is stored. */
export const isEmbedded: boolean = new URLSearchParams(location.search).has('embed');
