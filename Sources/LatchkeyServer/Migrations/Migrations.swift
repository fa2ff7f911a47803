import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyOAuth
import LatchkeySelfService
package import LatchkeyServerKit

extension [Migration] {
    /// The steps of all modules, in the order of their versions.
    ///
    /// Versions are unique, but have gaps.
    package static var all: [Migration] {
        (.kit + .courier + .accounts + .selfService + .oauth).sorted { $0.version < $1.version }
    }
}
