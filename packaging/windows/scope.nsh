; For whom it is installed: for one person without any rights, or for everyone by an administrator.

Var ScopeMine
Var ScopeAll

!macro ScopeFunctions UN
; Sets $Everyone and the folders and keys that go with it.
Function ${UN}SetScope
  ; While the person's own folders are meant: for everyone they would be the computer's.
  SetShellVarContext current
  StrCpy $Kept "$LOCALAPPDATA\spanlight"
  ${If} $Everyone == 1
    SetShellVarContext all
  ${EndIf}
FunctionEnd

; Ends this program where an administrator is needed, and starts $R9 as one where there is somebody to ask.
Function ${UN}NeedAdministrator
  UserInfo::GetAccountType
  Pop $0
  ${If} $0 == "Admin"
    Return
  ${EndIf}
  ${IfNot} ${Silent}
    ClearErrors
    ExecShell "runas" "$R9" "/ALLUSERS"
    ${IfNot} ${Errors}
      SetErrorLevel 0
      Quit
    ${EndIf}
  ${EndIf}
  SetErrorLevel 740
  Quit
FunctionEnd
!macroend

!insertmacro ScopeFunctions ""
!insertmacro ScopeFunctions "un."

Function InitScope
  StrCpy $Everyone 0
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/ALLUSERS" $R1
  ${IfNot} ${Errors}
    StrCpy $Everyone 1
    StrCpy $R9 "$EXEPATH"
    Call NeedAdministrator
  ${EndIf}
  Call SetScope
FunctionEnd

Function AskScope
  ${GetParameters} $R0
  ${GetOptions} $R0 "/CURRENTUSER" $R1
  ${IfThen} ${Errors} ${|} ${GetOptions} $R0 "/ALLUSERS" $R1 ${|}
  ${IfNot} ${Errors}
    Abort ; already decided
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "Who is it for?" "You can install ${NAME} without any special rights."
  nsDialogs::Create 1018
  Pop $0
  ${If} $0 == error
    Abort
  ${EndIf}
  ${NSD_CreateRadioButton} 0 10u 100% 12u "Only for &me"
  Pop $ScopeMine
  ${NSD_CreateLabel} 12u 23u 95% 12u "Nothing else is needed."
  Pop $0
  ${NSD_CreateRadioButton} 0 45u 100% 12u "For &everyone who uses this computer"
  Pop $ScopeAll
  ${NSD_CreateLabel} 12u 58u 95% 12u "Windows asks for an administrator."
  Pop $0
  ${If} $Everyone == 1 ; it was chosen before, and the person came back
    ${NSD_Check} $ScopeAll
  ${Else}
    ${NSD_Check} $ScopeMine
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function TakeScope
  ${NSD_GetState} $ScopeAll $R1 ; 1 when it is chosen, as in $Everyone
  ${If} $R1 = $Everyone
    Return
  ${EndIf}
  UserInfo::GetAccountType
  Pop $0
  ${If} $R1 = 1
  ${AndIf} $0 != "Admin"
    ClearErrors
    ExecShell "runas" "$EXEPATH" "/ALLUSERS"
    ${If} ${Errors}
      Abort ; it was refused: the question stays
    ${EndIf}
    Quit
  ${EndIf}
  StrCpy $Everyone $R1
  Call SetScope
  StrCpy $INSTDIR ""
  Call ChooseFolder
  Call RememberChoices
FunctionEnd

; It was installed for everyone when the computer's own list of programs names this very folder.
Function un.InitScope
  StrCpy $Everyone 0
  ReadRegStr $R0 HKLM "${UNINSTALL_KEY}" "InstallLocation"
  ${If} $R0 == $INSTDIR
    StrCpy $Everyone 1
    StrCpy $R9 "$INSTDIR\${UNINSTALLER}"
    Call un.NeedAdministrator
  ${EndIf}
  Call un.SetScope
FunctionEnd
