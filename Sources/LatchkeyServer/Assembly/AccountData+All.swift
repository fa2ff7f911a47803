package import LatchkeyAccounts
import LatchkeyCommerce
package import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService

extension AccountData {
    /// The data about accounts of all modules.
    ///
    /// - Parameter random: The random source for the values that invalidate codes.
    /// - Returns: The data, in the order in which changes apply to it.
    package static func all(random: any RandomSource) -> AccountData {
        AccountData([SelfServiceData(random: random), TokenData(), CommerceData()])
    }
}
