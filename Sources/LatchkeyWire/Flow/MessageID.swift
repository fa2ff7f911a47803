/// The ID of a message in a flow, as defined by Ory Kratos.
///
/// The IDs are part of the API contract, but the texts of the messages are not.
///
/// The first digit is the type of message: 1 for information, 4 for an input or flow error, and 5 for a
/// server error. The next two digits are the kind of flow: 01 for login, 04 for registration, 05 for
/// settings, 06 for recovery and 08 for verification. The digits 07 have two meanings: an information message
/// with 07 is the label of a node, and an error with 07 belongs to a verification flow.
package struct MessageID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number, which is the `id` member of a message in JSON.
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The label of the button that submits a login form.
    package static let signIn = MessageID(rawValue: 1_010_001)
    /// Asks a logged-in user to authenticate again.
    package static let reauthenticate = MessageID(rawValue: 1_010_003)
    /// Asks the user for a second factor.
    package static let secondFactor = MessageID(rawValue: 1_010_004)
    /// Tells the user that a login code was sent.
    ///
    /// If there is no account, no code is sent, but the same message is shown.
    package static let loginCodeSent = MessageID(rawValue: 1_010_014)
    /// The label of the button that requests a login code.
    package static let sendSignInCode = MessageID(rawValue: 1_010_015)
    /// The label of the button that logs in with a password.
    package static let signInWithPassword = MessageID(rawValue: 1_010_022)
    /// Tells a user who is authenticating again that a code was sent.
    package static let codeSentAgain = MessageID(rawValue: 1_010_025)
    /// The label of the button that submits a registration form.
    package static let signUp = MessageID(rawValue: 1_040_001)
    /// Tells the user that a registration code was sent to an address in the traits.
    package static let registrationCodeSent = MessageID(rawValue: 1_040_005)
    /// The label of the button that requests a registration code.
    package static let sendSignUpCode = MessageID(rawValue: 1_040_006)
    /// The label of the button that goes back to the previous step of a registration.
    package static let back = MessageID(rawValue: 1_040_008)
    /// Asks the user to choose a login method.
    ///
    /// This is the second step of a registration.
    package static let chooseCredential = MessageID(rawValue: 1_040_009)
    /// Tells the user that their changes to the settings were saved.
    package static let settingsSaved = MessageID(rawValue: 1_050_001)
    /// Tells the user that the account was recovered.
    ///
    /// The context contains the time when the privileged session ends.
    package static let recovered = MessageID(rawValue: 1_060_001)
    /// Tells the user that a recovery code was sent.
    ///
    /// If there is no account, no code is sent, but the same message is shown.
    package static let recoveryCodeSent = MessageID(rawValue: 1_060_003)
    package static let password = MessageID(rawValue: 1_070_001)
    /// The label of a trait.
    ///
    /// The text is the trait's title in the identity schema.
    package static let traitTitle = MessageID(rawValue: 1_070_002)
    package static let save = MessageID(rawValue: 1_070_003)
    /// The label of the field for the login identifier.
    package static let identifier = MessageID(rawValue: 1_070_004)
    /// The label of a field for an e-mail address.
    package static let email = MessageID(rawValue: 1_070_007)
    /// The label of the button that requests another code.
    package static let resend = MessageID(rawValue: 1_070_008)
    package static let proceed = MessageID(rawValue: 1_070_009)
    package static let recoveryCode = MessageID(rawValue: 1_070_010)
    package static let verificationCode = MessageID(rawValue: 1_070_011)
    package static let registrationCode = MessageID(rawValue: 1_070_012)
    package static let loginCode = MessageID(rawValue: 1_070_013)
    /// The label of a field for a phone number.
    package static let phone = MessageID(rawValue: 1_070_017)
    /// The label of a field that accepts an e-mail address or a phone number.
    package static let emailOrPhone = MessageID(rawValue: 1_070_018)
    /// Tells the user that an e-mail address was verified.
    package static let emailVerified = MessageID(rawValue: 1_080_002)
    /// Tells the user that a verification code was sent by e-mail.
    ///
    /// If no account uses the address, no code is sent, but the same message is shown.
    package static let emailCodeSent = MessageID(rawValue: 1_080_003)
    /// Tells the user that a verification code was sent by text message.
    ///
    /// If no account uses the number, no code is sent, but the same message is shown.
    package static let phoneCodeSent = MessageID(rawValue: 1_080_004)
    /// The message shown after a phone number was verified.
    package static let phoneVerified = MessageID(rawValue: 1_080_005)
    /// A generic validation error.
    ///
    /// The context contains a `reason`.
    package static let validation = MessageID(rawValue: 4_000_001)
    /// A required field is missing or empty.
    ///
    /// The context contains the field's name as `property`.
    package static let missing = MessageID(rawValue: 4_000_002)
    /// A string is too short.
    ///
    /// The context contains `actual_length` and `min_length`, counted in Unicode scalars.
    package static let tooShort = MessageID(rawValue: 4_000_003)
    /// A string doesn't have the format required by the identity schema, such as a date.
    package static let wrongFormat = MessageID(rawValue: 4_000_004)
    /// The password is too common.
    package static let passwordPolicy = MessageID(rawValue: 4_000_005)
    /// The credentials are wrong.
    ///
    /// The message doesn't reveal whether the account exists.
    package static let invalidCredentials = MessageID(rawValue: 4_000_006)
    /// Another account already uses the identifier.
    package static let duplicateIdentifier = MessageID(rawValue: 4_000_007)
    /// The request requires a verified address, but the account's address hasn't been verified.
    package static let addressNotVerified = MessageID(rawValue: 4_000_010)
    /// A string is too long.
    ///
    /// The context contains `actual_length` and `max_length`.
    package static let tooLong = MessageID(rawValue: 4_000_017)
    /// A number is less than the `minimum` in the context.
    package static let tooSmall = MessageID(rawValue: 4_000_018)
    /// A number is greater than the `maximum` in the context.
    package static let tooLarge = MessageID(rawValue: 4_000_020)
    /// A value doesn't have the JSON type required by the schema.
    ///
    /// The context contains `actual_type` and `allowed_types`.
    package static let wrongType = MessageID(rawValue: 4_000_026)
    /// Another account already uses the identifier.
    ///
    /// The context lists the login methods of the existing account.
    package static let duplicateWithHints = MessageID(rawValue: 4_000_028)
    /// The password is too similar to one of the account's identifiers.
    package static let passwordSimilar = MessageID(rawValue: 4_000_031)
    /// The password is too short.
    ///
    /// The context contains lengths in Unicode scalars.
    package static let passwordTooShort = MessageID(rawValue: 4_000_032)
    /// The password is too long.
    ///
    /// The context contains lengths in bytes of UTF-8.
    package static let passwordTooLong = MessageID(rawValue: 4_000_033)
    /// The password has appeared in a data breach.
    package static let passwordBreached = MessageID(rawValue: 4_000_034)
    /// No account that can log in with a code uses this identifier.
    package static let noCodeLogin = MessageID(rawValue: 4_000_035)
    /// The submitted traits differ from the ones in the request for the registration code.
    package static let traitsChanged = MessageID(rawValue: 4_000_036)
    package static let accountNotFound = MessageID(rawValue: 4_000_037)
    /// The new password is the same as the current one.
    package static let passwordUnchanged = MessageID(rawValue: 4_000_039)
    /// A string isn't a valid e-mail address.
    ///
    /// The context contains the string as `value`.
    package static let invalidEmail = MessageID(rawValue: 4_000_040)
    /// A string isn't a valid phone number.
    ///
    /// The context contains the string as `value`.
    package static let invalidPhone = MessageID(rawValue: 4_000_041)
    /// The previous login flow has expired or been completed, and this flow replaces it.
    ///
    /// The context contains the time at which the previous flow ended.
    package static let loginExpired = MessageID(rawValue: 4_010_001)
    /// The submitted method isn't supported by login flows, or no method was submitted.
    package static let noLoginStrategy = MessageID(rawValue: 4_010_002)
    /// The submitted method isn't supported by registration flows, or no method was submitted.
    package static let noRegistrationStrategy = MessageID(rawValue: 4_010_003)
    /// The submitted method isn't supported by settings flows, or no method was submitted.
    package static let noSettingsStrategy = MessageID(rawValue: 4_010_004)
    /// The submitted method isn't supported by recovery flows, or no method was submitted.
    package static let noRecoveryStrategy = MessageID(rawValue: 4_010_005)
    /// The submitted method isn't supported by verification flows, or no method was submitted.
    package static let noVerificationStrategy = MessageID(rawValue: 4_010_006)
    /// The login code is wrong, has expired or has been replaced by a newer one.
    package static let wrongLoginCode = MessageID(rawValue: 4_010_008)
    /// The account has been disabled by the operator.
    package static let identityDisabled = MessageID(rawValue: 4_010_011)
    /// The previous registration flow has expired or been completed, and this flow replaces it.
    package static let registrationExpired = MessageID(rawValue: 4_040_001)
    /// The registration code is wrong, has expired or has been replaced by a newer one.
    package static let wrongRegistrationCode = MessageID(rawValue: 4_040_003)
    /// The previous settings flow has expired or been completed, and this flow replaces it.
    package static let settingsExpired = MessageID(rawValue: 4_050_001)
    /// The submission changes several addresses, but users must verify one new address before changing
    /// another.
    package static let severalAddresses = MessageID(rawValue: 4_050_002)
    package static let recoveryDone = MessageID(rawValue: 4_060_001)
    /// The previous recovery flow has expired or been completed, and this flow replaces it.
    package static let recoveryExpired = MessageID(rawValue: 4_060_005)
    /// The recovery code is wrong, has expired or has been replaced by a newer one.
    package static let wrongRecoveryCode = MessageID(rawValue: 4_060_006)
    package static let verificationDone = MessageID(rawValue: 4_070_002)
    /// The previous verification flow has expired or been completed, and this flow replaces it.
    package static let verificationExpired = MessageID(rawValue: 4_070_005)
    /// The verification code is wrong, has expired or has been replaced by a newer one.
    package static let wrongVerificationCode = MessageID(rawValue: 4_070_006)
    package static let system = MessageID(rawValue: 5_000_001)
}
