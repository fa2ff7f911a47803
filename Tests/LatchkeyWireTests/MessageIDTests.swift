import LatchkeyWire
import Testing

@Suite struct `Message numbers` {
    /// The names of the messages, and their numbers in Ory Kratos.
    private static let numbers: [(MessageID, Int)] = [
        (.signIn, 1_010_001),
        (.reauthenticate, 1_010_003),
        (.secondFactor, 1_010_004),
        (.loginCodeSent, 1_010_014),
        (.sendSignInCode, 1_010_015),
        (.signInWithPassword, 1_010_022),
        (.codeSentAgain, 1_010_025),
        (.signUp, 1_040_001),
        (.registrationCodeSent, 1_040_005),
        (.sendSignUpCode, 1_040_006),
        (.back, 1_040_008),
        (.chooseCredential, 1_040_009),
        (.settingsSaved, 1_050_001),
        (.recovered, 1_060_001),
        (.recoveryCodeSent, 1_060_003),
        (.password, 1_070_001),
        (.traitTitle, 1_070_002),
        (.save, 1_070_003),
        (.identifier, 1_070_004),
        (.email, 1_070_007),
        (.resend, 1_070_008),
        (.proceed, 1_070_009),
        (.recoveryCode, 1_070_010),
        (.verificationCode, 1_070_011),
        (.registrationCode, 1_070_012),
        (.loginCode, 1_070_013),
        (.phone, 1_070_017),
        (.emailOrPhone, 1_070_018),
        (.emailVerified, 1_080_002),
        (.emailCodeSent, 1_080_003),
        (.phoneCodeSent, 1_080_004),
        (.phoneVerified, 1_080_005),
        (.validation, 4_000_001),
        (.missing, 4_000_002),
        (.tooShort, 4_000_003),
        (.wrongFormat, 4_000_004),
        (.passwordPolicy, 4_000_005),
        (.invalidCredentials, 4_000_006),
        (.duplicateIdentifier, 4_000_007),
        (.addressNotVerified, 4_000_010),
        (.tooLong, 4_000_017),
        (.tooSmall, 4_000_018),
        (.tooLarge, 4_000_020),
        (.wrongType, 4_000_026),
        (.duplicateWithHints, 4_000_028),
        (.passwordSimilar, 4_000_031),
        (.passwordTooShort, 4_000_032),
        (.passwordTooLong, 4_000_033),
        (.passwordBreached, 4_000_034),
        (.noCodeLogin, 4_000_035),
        (.traitsChanged, 4_000_036),
        (.accountNotFound, 4_000_037),
        (.passwordUnchanged, 4_000_039),
        (.invalidEmail, 4_000_040),
        (.invalidPhone, 4_000_041),
        (.loginExpired, 4_010_001),
        (.noLoginStrategy, 4_010_002),
        (.noRegistrationStrategy, 4_010_003),
        (.noSettingsStrategy, 4_010_004),
        (.noRecoveryStrategy, 4_010_005),
        (.noVerificationStrategy, 4_010_006),
        (.wrongLoginCode, 4_010_008),
        (.identityDisabled, 4_010_011),
        (.registrationExpired, 4_040_001),
        (.wrongRegistrationCode, 4_040_003),
        (.settingsExpired, 4_050_001),
        (.severalAddresses, 4_050_002),
        (.recoveryDone, 4_060_001),
        (.recoveryExpired, 4_060_005),
        (.wrongRecoveryCode, 4_060_006),
        (.verificationDone, 4_070_002),
        (.verificationExpired, 4_070_005),
        (.wrongVerificationCode, 4_070_006),
        (.system, 5_000_001),
    ]

    @Test(arguments: numbers)
    func `Message numbers are the same as in Kratos`(id: MessageID, number: Int) {
        #expect(id.rawValue == number)
    }

    @Test
    func `Each message has its own number`() {
        #expect(Set(Self.numbers.map(\.0)).count == Self.numbers.count)
    }
}
