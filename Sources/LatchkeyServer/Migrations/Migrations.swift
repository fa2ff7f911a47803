import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyOAuth
import LatchkeySelfService
package import LatchkeyServerKit

extension [Migration] {
    /// The migrations of all modules, sorted by version.
    ///
    /// Versions are unique but not necessarily consecutive.
    package static var all: [Migration] {
        let modules: [[Migration]] = [.kit, .courier, .accounts, .selfService, .oauth, .commerce]
        return modules.joined().sorted { $0.version < $1.version }
    }
}
