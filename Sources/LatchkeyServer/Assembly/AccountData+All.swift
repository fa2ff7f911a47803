package import LatchkeyAccounts
import LatchkeyCommerce
package import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService

extension AccountData {
    /// Returns the account data of all modules.
    ///
    /// - Parameter random: The source of the random values that replace invalidated codes.
    /// - Returns: The account data of each module, in processing order.
    package static func all(random: any RandomSource) -> AccountData {
        AccountData([SelfServiceData(random: random), TokenData(), CommerceData()])
    }
}
