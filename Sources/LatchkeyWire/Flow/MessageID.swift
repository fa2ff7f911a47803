/// The number of a message in a flow, as assigned by Ory Kratos.
///
/// The numbers are part of the API contract; the texts of the messages are not.
///
/// The first digit is the type: 1 for information, 4 for an error in the input or the flow, 5 for a server
/// error. The next two digits are the kind of flow: 01 for login, 04 for registration, 05 for settings, 06
/// for recovery and 08 for verification. The kind 07 has two uses: an information message is the label of a
/// node, and an error belongs to a verification flow.
package struct MessageID: RawRepresentable, Hashable, Sendable, Codable {
    /// The number, which is the `id` member of a message.
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The label of the button that submits a login.
    package static let signIn = MessageID(rawValue: 1_010_001)
    /// Asks a user who is logged in to authenticate again.
    package static let reauthenticate = MessageID(rawValue: 1_010_003)
    /// Asks for the second factor.
    package static let secondFactor = MessageID(rawValue: 1_010_004)
    /// A login code was sent if the identifier has an account; the message is shown in either case.
    package static let loginCodeSent = MessageID(rawValue: 1_010_014)
    /// The label of the button that requests a login code.
    package static let sendSignInCode = MessageID(rawValue: 1_010_015)
    /// The label of the button that submits a password.
    package static let signInWithPassword = MessageID(rawValue: 1_010_022)
    /// A code was sent to a user who is authenticating again.
    package static let codeSentAgain = MessageID(rawValue: 1_010_025)
    /// The label of the button that submits a registration.
    package static let signUp = MessageID(rawValue: 1_040_001)
    /// A registration code was sent to an address in the traits.
    package static let registrationCodeSent = MessageID(rawValue: 1_040_005)
    /// The label of the button that requests a registration code.
    package static let sendSignUpCode = MessageID(rawValue: 1_040_006)
    /// The label of the button that returns to the previous step of a registration.
    package static let back = MessageID(rawValue: 1_040_008)
    /// Asks the user to choose a login method, the second step of a registration.
    package static let chooseCredential = MessageID(rawValue: 1_040_009)
    /// The changes that the user made in a settings flow were saved.
    package static let settingsSaved = MessageID(rawValue: 1_050_001)
    /// The recovery succeeded; the context contains the time at which the privileged session ends.
    package static let recovered = MessageID(rawValue: 1_060_001)
    /// A recovery code was sent if the address has an account; the message is shown in either case.
    package static let recoveryCodeSent = MessageID(rawValue: 1_060_003)
    package static let password = MessageID(rawValue: 1_070_001)
    /// The label of a trait, which is its title in the identity schema.
    package static let traitTitle = MessageID(rawValue: 1_070_002)
    package static let save = MessageID(rawValue: 1_070_003)
    /// The label of the login identifier.
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
    /// An e-mail address was verified.
    package static let emailVerified = MessageID(rawValue: 1_080_002)
    /// A verification code was sent by e-mail if the address has an account; the message is shown in either
    /// case.
    package static let emailCodeSent = MessageID(rawValue: 1_080_003)
    /// A verification code was sent by text message if the number has an account; the message is shown in
    /// either case.
    package static let phoneCodeSent = MessageID(rawValue: 1_080_004)
    /// A phone number was verified.
    package static let phoneVerified = MessageID(rawValue: 1_080_005)
    /// An error that has no number of its own; the context contains its `reason`.
    package static let validation = MessageID(rawValue: 4_000_001)
    /// A required field is missing or empty; the context contains its name as `property`.
    package static let missing = MessageID(rawValue: 4_000_002)
    /// A string is too short; the context contains `actual_length` and `min_length`, in Unicode scalars.
    package static let tooShort = MessageID(rawValue: 4_000_003)
    /// A string does not have the format that the identity schema requires, such as a date.
    package static let wrongFormat = MessageID(rawValue: 4_000_004)
    /// A password is on the list of common passwords.
    package static let passwordPolicy = MessageID(rawValue: 4_000_005)
    /// The login was rejected; the message does not reveal whether the account exists.
    package static let invalidCredentials = MessageID(rawValue: 4_000_006)
    /// Another account has the identifier.
    package static let duplicateIdentifier = MessageID(rawValue: 4_000_007)
    /// The request requires a verified address, but the account's address is not verified.
    package static let addressNotVerified = MessageID(rawValue: 4_000_010)
    /// A string is too long; the context contains `actual_length` and `max_length`.
    package static let tooLong = MessageID(rawValue: 4_000_017)
    /// A number is less than the `minimum` in the context.
    package static let tooSmall = MessageID(rawValue: 4_000_018)
    /// A number is greater than the `maximum` in the context.
    package static let tooLarge = MessageID(rawValue: 4_000_020)
    /// A value does not have the JSON type that the schema requires; the context contains `actual_type` and
    /// `allowed_types`.
    package static let wrongType = MessageID(rawValue: 4_000_026)
    /// Another account has the identifier; the context lists its login methods.
    package static let duplicateWithHints = MessageID(rawValue: 4_000_028)
    /// A password resembles an identifier of the account.
    package static let passwordSimilar = MessageID(rawValue: 4_000_031)
    /// A password is too short; the lengths in the context are in Unicode scalars.
    package static let passwordTooShort = MessageID(rawValue: 4_000_032)
    /// A password is too long; the lengths in the context are in bytes of UTF-8.
    package static let passwordTooLong = MessageID(rawValue: 4_000_033)
    /// A password is on the list of breached passwords.
    package static let passwordBreached = MessageID(rawValue: 4_000_034)
    /// The identifier does not belong to an account that can log in with a code.
    package static let noCodeLogin = MessageID(rawValue: 4_000_035)
    /// The submitted traits differ from those for which the registration code was sent.
    package static let traitsChanged = MessageID(rawValue: 4_000_036)
    package static let accountNotFound = MessageID(rawValue: 4_000_037)
    /// The new password is the same as the current one.
    package static let passwordUnchanged = MessageID(rawValue: 4_000_039)
    /// A string is not an e-mail address; the context contains the text as `value`.
    package static let invalidEmail = MessageID(rawValue: 4_000_040)
    /// A string is not a phone number; the context contains the text as `value`.
    package static let invalidPhone = MessageID(rawValue: 4_000_041)
    /// The login flow that this flow replaces has expired or was completed; the context contains the time at
    /// which that happened.
    package static let loginExpired = MessageID(rawValue: 4_010_001)
    /// The submission does not specify a method that a login flow supports.
    package static let noLoginStrategy = MessageID(rawValue: 4_010_002)
    /// The submission does not specify a method that a registration flow supports.
    package static let noRegistrationStrategy = MessageID(rawValue: 4_010_003)
    /// The submission does not specify a method that a settings flow supports.
    package static let noSettingsStrategy = MessageID(rawValue: 4_010_004)
    /// The submission does not specify a method that a recovery flow supports.
    package static let noRecoveryStrategy = MessageID(rawValue: 4_010_005)
    /// The submission does not specify a method that a verification flow supports.
    package static let noVerificationStrategy = MessageID(rawValue: 4_010_006)
    /// The login code is wrong, has expired or is not the latest one.
    package static let wrongLoginCode = MessageID(rawValue: 4_010_008)
    /// The operator has disabled the account.
    package static let identityDisabled = MessageID(rawValue: 4_010_011)
    /// The registration flow that this flow replaces has expired or was completed.
    package static let registrationExpired = MessageID(rawValue: 4_040_001)
    /// The registration code is wrong, has expired or is not the latest one.
    package static let wrongRegistrationCode = MessageID(rawValue: 4_040_003)
    /// The settings flow that this flow replaces has expired or was completed.
    package static let settingsExpired = MessageID(rawValue: 4_050_001)
    /// A settings submission changes several addresses, but each change must be verified before the next.
    package static let severalAddresses = MessageID(rawValue: 4_050_002)
    package static let recoveryDone = MessageID(rawValue: 4_060_001)
    /// The recovery flow that this flow replaces has expired or was completed.
    package static let recoveryExpired = MessageID(rawValue: 4_060_005)
    /// The recovery code is wrong, has expired or is not the latest one.
    package static let wrongRecoveryCode = MessageID(rawValue: 4_060_006)
    package static let verificationDone = MessageID(rawValue: 4_070_002)
    /// The verification flow that this flow replaces has expired or was completed.
    package static let verificationExpired = MessageID(rawValue: 4_070_005)
    /// The verification code is wrong, has expired or is not the latest one.
    package static let wrongVerificationCode = MessageID(rawValue: 4_070_006)
    package static let system = MessageID(rawValue: 5_000_001)
}
