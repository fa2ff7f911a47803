/// The number of a message in a flow, as Ory Kratos assigns them.
///
/// The numbers are the contract; the texts beside them are each server's own.
package struct MessageID: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let signIn = MessageID(rawValue: 1_010_001)
    package static let reauthenticate = MessageID(rawValue: 1_010_003)
    package static let secondFactor = MessageID(rawValue: 1_010_004)
    package static let signInWithPassword = MessageID(rawValue: 1_010_022)
    package static let signUp = MessageID(rawValue: 1_040_001)
    package static let password = MessageID(rawValue: 1_070_001)
    package static let traitTitle = MessageID(rawValue: 1_070_002)
    package static let identifier = MessageID(rawValue: 1_070_004)
    package static let validation = MessageID(rawValue: 4_000_001)
    package static let missing = MessageID(rawValue: 4_000_002)
    package static let tooShort = MessageID(rawValue: 4_000_003)
    package static let wrongFormat = MessageID(rawValue: 4_000_004)
    package static let passwordPolicy = MessageID(rawValue: 4_000_005)
    package static let invalidCredentials = MessageID(rawValue: 4_000_006)
    package static let duplicateIdentifier = MessageID(rawValue: 4_000_007)
    package static let addressNotVerified = MessageID(rawValue: 4_000_010)
    package static let tooLong = MessageID(rawValue: 4_000_017)
    package static let tooSmall = MessageID(rawValue: 4_000_018)
    package static let tooLarge = MessageID(rawValue: 4_000_020)
    package static let wrongType = MessageID(rawValue: 4_000_026)
    package static let passwordSimilar = MessageID(rawValue: 4_000_031)
    package static let passwordTooShort = MessageID(rawValue: 4_000_032)
    package static let passwordTooLong = MessageID(rawValue: 4_000_033)
    package static let invalidEmail = MessageID(rawValue: 4_000_040)
    package static let invalidPhone = MessageID(rawValue: 4_000_041)
    package static let loginExpired = MessageID(rawValue: 4_010_001)
    package static let noLoginStrategy = MessageID(rawValue: 4_010_002)
    package static let noRegistrationStrategy = MessageID(rawValue: 4_010_003)
    package static let identityDisabled = MessageID(rawValue: 4_010_011)
    package static let registrationExpired = MessageID(rawValue: 4_040_001)
    package static let system = MessageID(rawValue: 5_000_001)
}
