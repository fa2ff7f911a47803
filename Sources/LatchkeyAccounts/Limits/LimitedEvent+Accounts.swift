package import LatchkeyModel

// MARK: Passwords

extension LimitedEvent {
    /// A wrong password for an account is entered from any unknown network.
    package static func failure(of account: LimitedAccount) -> LimitedEvent {
        LimitedEvent("failure of account", of: account) { $0.failuresPerAccount }
    }

    /// A wrong password for an account is entered from one network.
    ///
    /// A successful login resets the count.
    package static func failure(of account: LimitedAccount, on network: Network) -> LimitedEvent {
        LimitedEvent("failure of account on network", of: account, on: network) { $0.failuresPerNetwork }
    }

    /// A wrong password is entered for an account, on one of its known networks.
    ///
    /// A successful login doesn't reset the count.
    package static func failure(of account: LimitedAccount, onKnown network: Network) -> LimitedEvent {
        LimitedEvent("failure of account on known network", of: account, on: network) {
            $0.failuresPerAccount
        }
    }

    /// The waits that wrong passwords for an account have caused are ended on all networks, because the
    /// password was replaced.
    ///
    /// This isn't limited. Earlier failures don't make clients wait any more.
    package static func waitsEnded(_ account: LimitedAccount) -> LimitedEvent {
        LimitedEvent("waits ended", of: account) { rules in
            let failures = rules.failuresPerNetwork
            return failures.isLifted ? .lifted : .sliding([Rate(1, per: failures.horizon)])
        }
    }

    /// A wrong password for any account is entered from a network.
    package static func failureFromNetwork(_ network: Network) -> LimitedEvent {
        LimitedEvent("failure from address", of: network, metric: .failuresPerAddress) {
            $0.failuresPerAddress
        }
    }

    /// On a network, a login or a code is rejected for an account that hasn't yet been counted towards the
    /// network's limit.
    package static func accountFailedFromNetwork(_ network: Network) -> LimitedEvent {
        LimitedEvent("account failed from network", of: network, metric: .accountsPerAddress) {
            $0.accountsPerAddress
        }
    }

    private init(
        _ name: String,
        of account: LimitedAccount,
        on network: Network? = nil,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) {
        self.init(
            name,
            of: network.map { Self.pair($0.prefix, and: account.subject) } ?? account.subject,
            metric: .failuresPerAccount,
            identity: account.identity,
            identifier: account.identifier,
            from: network.map { .network($0) },
            by: rule
        )
    }
}

extension LimitedAccount {
    fileprivate var identity: Identifier? {
        if case .identity(let id) = self { id } else { nil }
    }

    fileprivate var identifier: String? {
        if case .unknown(let identifier) = self { identifier } else { nil }
    }
}

// MARK: Accounts and sessions

extension LimitedEvent {
    /// An account is registered from a network, or the registration is rejected.
    package static func registration(_ network: Network) -> LimitedEvent {
        LimitedEvent("registration", of: network, metric: .registrationsPerAddress) {
            $0.registrationsPerAddress
        }
    }

    /// A form of a flow without an account is stored for a network.
    package static func keptForm(_ network: Network) -> LimitedEvent {
        LimitedEvent("kept form", of: network, metric: .formsPerAddress) { $0.formsPerAddress }
    }

    /// A user tries to change the password, an identifier or an address of an account.
    package static func accountChange(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("account change", of: id, metric: .changesPerAccount) { $0.changesPerAccount }
    }

    /// A notice about an account is sent as a text message.
    package static func noticeText(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("notice text", of: id, metric: .noticesPerAccount) { $0.noticeTextsPerAccount }
    }

    /// A notice about a new device is sent as a text message.
    package static func deviceNoticeText(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("device notice text", of: id, metric: .noticesPerAccount) { _ in LimitRules.onceADay }
    }

    /// A user is notified that a login to their account was rejected.
    package static func refusedEntryNotice(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("refused entry notice", of: id, metric: .noticesPerAccount) { _ in LimitRules.onceADay }
    }

    /// A certificate is issued for a session.
    package static func enrolment(_ session: Identifier) -> LimitedEvent {
        LimitedEvent("enrolment", of: session.bytes, metric: .enrolmentsPerSession) {
            $0.enrolmentsPerSession
        }
    }

    /// The tokens of a session are renewed.
    package static func renewal(_ session: Identifier) -> LimitedEvent {
        LimitedEvent("token renewal", of: session.bytes, metric: .renewalsPerSession) {
            $0.renewalsPerSession
        }
    }

    /// An account's data is exported.
    package static func export(_ id: Identifier) -> LimitedEvent {
        LimitedEvent("export", of: id, metric: .exportsPerAccount) { $0.exportsPerAccount }
    }
}
