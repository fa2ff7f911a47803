public import LatchkeyCore

extension LatchkeyClient {
    /// Logs users in with a code that is sent to their phone number or e-mail address.
    ///
    /// To log in with a password, use the methods `signIn(phone:password:)` and `signIn(email:password:)`
    /// instead.
    public var codeSignIn: CodeSignIn {
        CodeSignIn(engine: engine.flows)
    }

    /// Lets users who have forgotten their password recover their account.
    public var recovery: Recovery {
        Recovery(engine: engine.flows)
    }

    /// Verifies the addresses of the user's account.
    public var verification: AddressVerification {
        AddressVerification(engine: engine.flows)
    }

    /// The account of the user who is logged in, including the profile, password, addresses and sessions.
    public var account: Account {
        Account(engine: engine.flows)
    }

    /// The server's self-service flows.
    ///
    /// Use the flows if your app renders the server's forms itself.
    public var flows: Flows {
        Flows(engine: engine.flows)
    }
}
