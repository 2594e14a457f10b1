/** The functions that a call supplies to each method for explicit ordinary differential equations. */
export const EQUATION = `
  vector derivative(real t, vector y);
  vector detached_derivative(real t, vector y);
  vector augmented(vector y);
  int has_derivatives();
  int has_varying_initial_time();
  int has_varying_times();
  void refuse_steps(real time);
  void refuse_attempts();

  // What y changes by from t on (direction 1), or has changed by before (-1), in a departure that is worth 0: with its derivatives of first
  // order, or, by the midpoint rule, of second order, too.
  vector drift(real t, vector y, real departure, int direction) {
    if (has_second_derivatives()) {
      return departure * derivative(t + 0.5 * departure, y + 0.5 * direction * departure * derivative(t, y));
    }
    return derivative(t, y) * departure;
  }
`;
