extension [any SignInMethod.Type] {
    /// The methods of the server, in the order in which forms show them.
    package static var builtIn: Self { [ProfileMethod.self, CodeMethod.self, PasswordMethod.self] }
}
