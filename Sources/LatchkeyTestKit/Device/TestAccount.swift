package import LatchkeyCore

/// The account data that the tests of this package use.
package enum TestAccount {
    /// The phone number with which the customer logs in.
    package static let phone = "+439999999999"
    /// The passcode with which the customer logs in.
    package static let passcode = "000000"
    /// The first and last name of the customer.
    package static let name = PersonName(first: "User", last: "Test")

    /// The e-mail address with which the business user logs in.
    package static let email = "owner@shop.example"
    /// The password with which the business user logs in.
    package static let password = "correct-Horse-7"
}
