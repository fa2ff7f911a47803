package import LatchkeyAccounts
import LatchkeyCommerce
package import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService

extension AccountData {
    /// The account data that all modules store.
    ///
    /// - Parameter random: The source of the random values that replace invalidated codes.
    /// - Returns: The account data, in the order in which the modules process a change.
    package static func all(random: any RandomSource) -> AccountData {
        AccountData([SelfServiceData(random: random), TokenData(), CommerceData()])
    }
}
