package import LatchkeyCore

/// The account data that this package's tests use.
package enum TestAccount {
    /// The phone number that the customer logs in with.
    package static let phone = "+439999999999"
    /// The passcode that the customer logs in with.
    package static let passcode = "000000"
    /// The customer's first and last name.
    package static let name = PersonName(first: "User", last: "Test")

    /// The e-mail address that the business user logs in with.
    package static let email = "owner@shop.example"
    /// The password that the business user logs in with.
    package static let password = "correct-Horse-7"
}
