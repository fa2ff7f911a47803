import LatchkeyServerCore
import LatchkeySodium

extension ServerConfiguration {
    /// Returns the settings of the services, for a server that clients reach at a URL.
    func settings(url: String) -> ServerSettings {
        var settings = ServerSettings()
        settings.baseURL = url
        settings.basePath = basePath
        settings.defaultSchema = identities.defaultSchema
        settings.allowedReturnURLs = identities.returnURLs
        settings.registrationEnabled = identities.registration
        settings.passwordEnabled = passwords.login
        settings.flowLifespan = lifespans.flow
        settings.accountFlowLifespan = lifespans.accountFlow
        settings.sessionLifespan = lifespans.session
        settings.provisionalSessionLifespan = lifespans.provisionalSession
        settings.cleanUp.sessionRetention = lifespans.endedSession
        settings.cleanUp.messageRetention = lifespans.sentMessage
        settings.cleanUp.auditRetention = lifespans.auditEvent
        settings.sessionTokenPrefix = sessionTokenPrefix
        settings.maximumPasswordLength = passwords.maximumLength
        settings.toleratedBreaches = passwords.toleratedBreaches
        settings.codeLifespan = lifespans.code
        settings.codeAttempts = limits.guessesPerCode
        settings.appName = courier.app
        settings.language = Language(rawValue: courier.language.rawValue) ?? settings.language
        settings.deliveryWait = courier.wait
        settings.certificateLifespan = lifespans.certificate
        settings.tokenAudience = tokens.audience
        settings.clientID = tokens.clientID
        settings.accessTokenLifespan = tokens.accessLifespan
        settings.refreshTokenPrefix = tokens.refreshPrefix
        settings.signingKeyLifespan = tokens.keyLifespan
        settings.limits = limits.rules
        selfService.apply(to: &settings)
        return settings
    }
}

extension ServerConfiguration.SelfService {
    fileprivate func apply(to settings: inout ServerSettings) {
        settings.defaultReturnURL = defaultReturnURL
        settings.recoveryPage = recoveryPage
        settings.registrationStyle = registrationStyle == .profileFirst ? .profileFirst : .unified
        settings.sessionAfterRegistration = sessionAfterRegistration
        settings.verificationAfterRegistration = verificationAfterRegistration
        settings.registrationSchemas = registrationSchemas.isEmpty ? nil : Set(registrationSchemas)
        settings.existingAccount = existingAccount == .logIn ? .logIn : .refuse
        settings.noticesEnabled = notices
        settings.codeEnabled = codeLogin
        settings.tellsUnknownAccounts = tellsUnknownAccounts
        settings.loginHints = loginHints
        settings.verifiedAddress =
            switch verifiedAddress {
            case .optional: .optional
            case .required: .required
            case .requiredInForm: .requiredInForm
            }
        settings.recoveryEnabled = recovery
        settings.verificationEnabled = verification
        settings.verificationAfterSettings = verificationAfterSettings
        settings.verificationBeforeChange = verificationBeforeChange
        settings.privilegedSessionAge = privilegedAge
        settings.newPasswordEndsSessions = newPasswordEndsSessions
    }
}

extension ServerConfiguration.Limits {
    /// The rate limits as rules of the services.
    var rules: LimitRules {
        var rules = LimitRules()
        rules.codesPerRecipient = Self.sliding(codesPerPhone)
        rules.codesPerAddress = Self.sliding(codesPerAddress)
        rules.textMessages = textMessages.map { LimitWindow($0.count, per: $0.window) }
        rules.guessesPerRecipient = Self.sliding(wrongCodesPerPhone)
        rules.codesInReserve = Self.sliding(codesOnKnownNetworks)
        rules.guessesInReserve = Self.sliding(wrongCodesOnKnownNetworks)
        rules.failuresPerAddress = Self.sliding(failuresPerAddress)
        rules.accountsPerAddress = Self.sliding(accountsPerAddress)
        rules.failuresPerAccount = Self.sliding(failuresPerAccount)
        rules.registrationsPerAddress = Self.sliding(registrationsPerAddress)
        rules.changesPerAccount = Self.sliding(changesPerAccount)
        rules.enrolmentsPerSession = Self.sliding(enrolmentsPerSession)
        rules.failuresPerNetwork = .growingWaits(
            free: freeFailures,
            first: firstWait,
            longest: longestWait,
            memory: failureMemory
        )
        return rules
    }

    private static func sliding(_ rates: [ServerConfiguration.Rate]) -> LimitRule {
        .sliding(rates.map { LimitWindow($0.count, per: $0.window) })
    }
}

extension ServerConfiguration.Passwords {
    /// The cost of a hash; the ranges of the settings are within those of the algorithm.
    var parameters: Argon2idParameters {
        Argon2idParameters(memory: memory, iterations: passes) ?? .recommended
    }
}
