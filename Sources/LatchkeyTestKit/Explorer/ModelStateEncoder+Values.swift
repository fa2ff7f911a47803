import LatchkeyCore

extension ModelStateEncoder {
    /// Writes the result of a read: one byte, followed by the error code or the record if there is one.
    mutating func write(_ reading: SessionMachine.Reading) {
        switch reading {
        case .absent: bytes.append(0)
        case .unavailable(let code):
            bytes.append(1)
            write(code)
        case .present(let handle, let generation):
            bytes.append(2)
            write(handle)
            write(generation: generation)
        }
    }

    /// Writes which record a removal affects, or 0 if there is no removal.
    mutating func write(_ removal: SessionMachine.Removal?) {
        switch removal {
        case nil: bytes.append(0)
        case .anything: bytes.append(1)
        case .login(let login):
            bytes.append(2)
            bytes.append(Self.name(of: login, in: &logins))
        }
    }

    /// Writes a handle in four bytes: the login with two flags, the version, the token and the form.
    mutating func write(_ handle: SessionHandle) {
        let login = Self.name(of: handle.login, in: &logins)
        bytes.append(login | (handle.isPair ? 64 : 0) | (handle.isComplete ? 128 : 0))
        let login64 = UInt64(handle.login) << 32
        bytes.append(Self.name(of: login64 | UInt64(handle.version), in: &versions))
        write(token: handle.token, of: handle.login)
        bytes.append(Self.name(of: login64 | UInt64(handle.form), in: &forms))
    }

    /// Writes a token's number relative to the number of the last token that was used.
    ///
    /// If the login has been revoked, its tokens no longer differ in their effect, so 0 is written for all of
    /// them. If the family is still valid and more than 64 tokens were issued between this token and the last
    /// used one, this method traps.
    mutating func write(token: UInt32, of login: UInt32) {
        let family = state.families[Int(login)]
        bytes.append(family.isLive ? UInt8(token + ModelStateDecoder.used - family.used) : 0)
    }

    /// Writes a generation as its one-based index in ``generations``.
    ///
    /// The value 0 means that there is no record.
    mutating func write(generation: UInt64) {
        bytes.append(generation == 0 ? 0 : Self.name(of: generation, in: &generations) + 1)
    }

    /// Writes the reason why the store is unavailable or has rejected an operation.
    mutating func write(_ code: SessionStoreError.Code) {
        switch code {
        case .conflict: bytes.append(0)
        case .locked: bytes.append(1)
        case .failed: bytes.append(2)
        case .unreadable: bytes.append(3)
        case .newer: bytes.append(4)
        }
    }

    /// Writes whether `epoch` is current, and whether `refreshRead` is `nil`, outdated or current.
    mutating func write(epoch: UInt32, refreshRead: UInt32?, relativeTo now: SessionMachine) {
        let readBits: UInt8 = refreshRead == nil ? 0 : refreshRead == now.refreshReads ? 3 : 2
        bytes.append((epoch == now.epoch ? 4 : 0) | readBits)
    }

    /// Returns a value's index in a list, after appending the value if it is new.
    static func name<Value: Equatable>(of value: Value, in names: inout [Value]) -> UInt8 {
        if let place = names.firstIndex(of: value) { return UInt8(place) }
        names.append(value)
        return UInt8(names.count - 1)
    }
}
