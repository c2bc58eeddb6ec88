// Formats for the zoomed pane of a window and those that it hides.

/**
 * True for the zoomed pane. From 3.8 on, a floating pane over it can be the active one; tmux before 3.7 has no flag for
 * it, and there the active pane is the zoomed one.
 */
export const IS_ZOOMED =
  "#{?#{==:#{pane_zoomed_flag},},#{&&:#{window_zoomed_flag},#{pane_active}},#{pane_zoomed_flag}}";

/** False for a pane that is hidden by a zoomed one. */
export const IS_VISIBLE = `#{?window_zoomed_flag,#{||:${IS_ZOOMED},#{pane_active}},1}`;
