/// The English texts of forms; `{name}` is a placeholder for the member `name` of the message's context.
///
/// A message carries one of these texts until it is encoded; ``FormWords`` then translates it.
package enum FormText: String, Sendable, CaseIterable {
    // Labels.
    case signIn = "Sign in"
    case signInWithPassword = "Sign in with your password"
    case sendSignInCode = "Send me a code to sign in"
    case sendSignUpCode = "Send me a code to confirm"
    case signUp = "Create account"
    case back = "Back"
    case save = "Save"
    case proceed = "Continue"
    case resend = "Send another code"
    case code = "Code"
    case password = "Password"
    case email = "E-mail"
    case phone = "Phone number"
    case emailOrPhone = "E-mail or phone number"

    // Next steps.
    case loginCodeSent = "If there is an account for this, a code is on its way. Type it in here."
    case codeSent = "A code is on its way to you. Type it in here."
    case recoveryCodeSent = "If there is an account for this address, a code is on its way. Type it in here."
    case emailCodeSent =
        "If this address belongs to an account, a mail with a code is on its way. Type it in here."
    case phoneCodeSent =
        "If this number belongs to an account, a message with a code is on its way. Type it in here."
    case chooseCredential = "Now choose how you want to sign in."
    case reauthenticate = "Please show once more that it is you."
    case secondFactor = "Please sign in with your second factor."

    // Completed actions.
    case phoneVerified = "Your phone number is confirmed."
    case emailVerified = "Your e-mail address is confirmed."
    case recovered = "You are back in. Set a new password now."
    case settingsSaved = "Your changes are saved."

    // Errors about the whole form.
    case invalidCredentials = "This does not match any account. Check what you typed, the password too."
    case duplicate = "There is an account with this e-mail address or phone number already."
    case duplicateWithHints =
        "There is an account with {credential_identifier_hint} already. Sign in to it instead."
    case identityDisabled = "This account has been disabled."
    case chooseSignIn = "Choose a way to sign in and fill in its fields."
    case chooseSignUp = "Choose a way to sign up and fill in its fields."
    case chooseChange = "Choose what to change and fill in its fields."
    case chooseRecovery = "Choose a way to get back in and fill in its fields."
    case chooseVerification = "Choose a way to confirm and fill in its fields."
    case flowExpired = "That took too long or was done already; please begin again here."
    case usedAlready = "This was used already; please begin again here."
    case doneOrTriedTooOften = "This was done already, or tried too often; please begin again."
    case noCodeLogin = "There is no account for this, or it cannot be signed in to with a code."
    case noCodeAddress = "There is no address here that a code could be sent to."
    case codeUsed = "This code was used already; have another one sent."
    case codeExhausted = "There were too many wrong codes; please begin again."
    case wrongCode = "This code is wrong or too old. Check it, or have another one sent."
    case traitsChanged = "Something changed since the code was sent; have another one sent."
    case passwordUnchanged = "This is the password that you have already; choose another one."
    case changedMeanwhile =
        "Your account was changed from somewhere else at the same moment; look again and repeat it if need be."
    case severalAddresses = "Change one address at a time: each has to be verified first."
    case nothingToChange = "There is nothing here to change."
    case addressNotProven =
        "This address is not confirmed for the account that lists it. If it is your account, sign in with your password or another address and confirm this one there. If not, create an account with it."
    case removalNeedsProof =
        "To remove this address, first sign in again with your password or with a code sent to it."
    case passwordNeedsProof =
        "To replace your password, first sign in again with the current one, or recover your account."
    case addressNotVerified = "Verify your e-mail address or phone number first."

    // Errors about a single field.
    case missing = "Please fill in this field."
    case tooShort = "This is too short: at least {min_length}, not {actual_length}."
    case tooLong = "This is too long: at most {max_length}, not {actual_length}."
    case tooSmall = "This is too small."
    case tooLarge = "This is too large."
    case wrongType = "This has the wrong type: {allowed_types} is expected."
    case invalidEmail = "This is no e-mail address."
    case invalidPhone = "This is no phone number: it begins with + and the country's code."
    case invalidDate = "This is no date: year-month-day is expected."
    case phoneNotVerified = "This phone number has not been verified yet."
    case otherPhoneVerified = "Another phone number than this one was verified."
    case passwordTooShort = "The password is too short: it needs {min_length} characters or more."
    case passwordTooLong = "The password is too long: it may have {max_length} bytes."
    case passwordBreached =
        "This password is known from break-ins elsewhere; choose one that nobody else has."
    case passwordCommon = "Too many people use this password. Choose one that is harder to guess."
    case passwordSimilar = "The password is too much like what you sign in with."
}
