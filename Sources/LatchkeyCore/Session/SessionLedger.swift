/// Decides what becomes of this device's session; pure, and performs nothing itself.
///
/// Whoever holds it reads, writes and removes the record accordingly and publishes what the transitions return.
struct SessionLedger {
    enum Holding {
        /// Nothing is known. Becomes any of the others.
        case unread
        /// The store could not tell. Becomes any of the others when it is read again or written.
        case unavailable(SessionStoreError)
        /// Nobody is logged in. Becomes `present` by a login, here or in another process.
        case absent
        /// Somebody is logged in. Becomes `absent` by a sign-out or by the server's word.
        case present(HeldSession)
    }

    private(set) var holding = Holding.unread
    /// Counts the sign-outs: what began in an earlier epoch must not bring a session in.
    private(set) var epoch: UInt64 = 0
    /// Whether something of a session that is over may still be on disk.
    private(set) var owesRemoval = false
    private var serials: UInt64 = 0

    /// The state as the app sees it.
    var state: SessionState {
        switch holding {
        case .unread: .unavailable(.notReadYet)
        case .unavailable(let error): .unavailable(.store(error))
        case .absent: .signedOut
        case .present(let held): .signedIn(held.stored.session)
        }
    }

    var held: HeldSession? {
        if case .present(let held) = holding { held } else { nil }
    }

    var needsReading: Bool {
        switch holding {
        case .unread, .unavailable: true
        case .absent, .present: false
        }
    }

    /// Takes in what the store said, unless somebody signed out while it was asked.
    mutating func read(_ reading: StoredSession.Reading, since epoch: UInt64) -> SessionEvent? {
        guard epoch == self.epoch, !owesRemoval else { return nil }
        switch (reading, holding) {
        case (.unavailable, .present), (.unavailable, .absent):
            // What is known stays true until the store says otherwise.
            return nil
        case (.unavailable(let error), .unread), (.unavailable(let error), .unavailable):
            holding = .unavailable(error)
        case (.absent, .absent):
            return nil
        case (.absent, _):
            holding = .absent
        case (.present(let stored), .present(let held)) where stored.token == held.stored.token:
            return replace(held, with: stored)
        case (.present(let stored), _):
            return take(stored)
        }
        return event(isNewSession: false)
    }

    /// Tells whether an attempt to log in may still end in a session.
    func isCurrent(_ epoch: UInt64) -> Bool {
        epoch == self.epoch
    }

    /// Takes in a login that is on disk.
    mutating func commit(_ stored: StoredSession) -> SessionEvent {
        owesRemoval = false
        return take(stored)
    }

    /// Takes in a change of a session that is on disk; nothing when that session is not the present one.
    mutating func replace(_ held: HeldSession, with stored: StoredSession) -> SessionEvent? {
        guard let present = self.held, present.serial == held.serial else { return nil }
        holding = .present(HeldSession(serial: held.serial, stored: stored))
        return stored.session == present.stored.session ? nil : event(isNewSession: false)
    }

    /// Ends whatever session there is, and whatever is under way.
    mutating func signOut() -> SessionEvent? {
        epoch += 1
        owesRemoval = true
        if case .absent = holding { return nil }
        holding = .absent
        return event(isNewSession: false)
    }

    /// Ends one session because the server said so; nothing when it is not the present one.
    mutating func end(_ held: HeldSession) -> SessionEvent? {
        guard let present = self.held, present.serial == held.serial else { return nil }
        owesRemoval = true
        holding = .absent
        return event(isNewSession: false)
    }

    /// Notes that nothing of an ended session is left on disk.
    mutating func removed() {
        owesRemoval = false
    }

    private mutating func take(_ stored: StoredSession) -> SessionEvent {
        serials += 1
        holding = .present(HeldSession(serial: serials, stored: stored))
        return event(isNewSession: true)
    }

    private func event(isNewSession: Bool) -> SessionEvent {
        SessionEvent(state: state, isNewSession: isNewSession)
    }
}

/// A session that is in place, told from others that came before or after it.
package struct HeldSession: Sendable {
    package let serial: UInt64
    package let stored: StoredSession
}

/// A change of the state.
package struct SessionEvent: Sendable {
    package let state: SessionState
    /// Whether the session in it was not there before; a change of the profile is no new session.
    package let isNewSession: Bool
}
