package import LatchkeyCore

/// The account data that this package's tests use.
package enum TestAccount {
    /// The phone number of the customer.
    package static let phone = "+439999999999"
    /// The passcode of the customer.
    package static let passcode = "000000"
    /// The name of the customer.
    package static let name = PersonName(first: "User", last: "Test")

    /// The e-mail address of the business user.
    package static let email = "owner@shop.example"
    /// The password of the business user.
    package static let password = "correct-Horse-7"
}
