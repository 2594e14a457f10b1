"""The continuous distributions from beta to inv_gamma."""

import continuous_bounded
import continuous_line
import continuous_positive

FUNCTIONS = continuous_bounded.FUNCTIONS + continuous_line.FUNCTIONS + continuous_positive.FUNCTIONS
